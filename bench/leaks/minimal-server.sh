# An MCP server over stdio that only initializes. A shell starts in about 2 ms, so 10,000 sessions take minutes, not hours.
while IFS= read -r line; do
  case "$line" in
    *'"method":"initialize"'*)
      id=${line#*\"id\":}
      id=${id%%[,\}]*}
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"minimal","version":"1"}}}\n' "$id"
      ;;
  esac
done
