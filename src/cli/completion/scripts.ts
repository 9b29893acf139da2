/**
 * The scripts that complete command lines. Each asks `mcp-concerns completion --line` for the words that can follow, and
 * completes file names if there are none.
 */
export const SCRIPTS = {
  // Bash splits words at "=", so the part before it is removed from each candidate.
  bash: `_mcp_concerns() {
  local line="\${COMP_LINE:0:COMP_POINT}"
  local word="\${line##* }"
  local IFS=$'\\n'
  COMPREPLY=($(mcp-concerns completion --line "$line" 2>/dev/null))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*=}"}"}")
  fi
}
complete -o default -F _mcp_concerns mcp-concerns
`,
  zsh: `#compdef mcp-concerns
_mcp_concerns() {
  local -a found
  found=("\${(@f)$(mcp-concerns completion --line "$LBUFFER" 2>/dev/null)}")
  if [[ -z "\${found[1]}" ]]; then
    _files
  else
    compadd -S '' -- \${(M)found:#*=}
    compadd -- \${found:#*=}
  fi
}
compdef _mcp_concerns mcp-concerns
`,
  fish: `complete -c mcp-concerns -a '(mcp-concerns completion --line (commandline -cp) 2>/dev/null)'
`,
} as const;
