# Builds an image as templates/Containerfile describes it, without a registry of images: its base is the binary of Node.js with
# its libraries. Prints the name of a container of the image.
set -eu
node=$1 app=$2
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
add() {
  mkdir -p "$root$(dirname "$2")"
  cp -L "$1" "$root$2"
  for library in $(ldd "$1" | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}
mkdir -p "$root/tmp" "$root/etc"
chmod 1777 "$root/tmp"
add "$node" /usr/local/bin/node
add /usr/bin/env /usr/bin/env
echo 'node:x:1000:1000::/tmp:/nonexistent' > "$root/etc/passwd"
container=$(buildah from scratch)
buildah copy -q "$container" "$root" / > /dev/null
buildah copy -q "$container" "$app" /app > /dev/null
buildah config --user 1000 --workingdir /app --env PATH=/usr/local/bin:/usr/bin --env NODE_ENV=production --port 8808 \
  --entrypoint '["node_modules/.bin/mcp-concerns","serve","--no-project","--host","0.0.0.0"]' "$container"
buildah commit -q "$container" mcp-concerns:test > /dev/null
echo "$container"
