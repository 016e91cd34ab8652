#!/bin/bash
# An agent in Parley's line protocol that starts in a few milliseconds: hundreds of them run at once.
# A prompt says what it does, in any order: [[flood N]] N small words, [[ask]] a permission, [[child]] a sub-agent,
# [[slow N]] N words, one in 50 ms. With --linger it stays when its server is gone: only a signal ends it.
linger=$1
made=0
run=$$-$RANDOM$RANDOM
cancelled=
declare -a lines=()

id() { made=$((made + 1)); new=$1-$run-$made; }
say() { printf '%s\n' "$1"; }
child() { say "{\"child\":{\"id\":\"$1\",\"title\":\"A helper\",\"agent\":\"helper\",\"call\":\"$2\"},\"signal\":$3}"; }
words() { printf '{"type":"text","item":"%s","kind":"message","role":"assistant","delta":"%s "}' "$1" "$2"; }
done_with() { printf '{"type":"text.done","item":"%s","kind":"message","role":"assistant"}' "$1"; }
gone() {
  if [[ $linger == --linger ]]; then while :; do sleep 1; done; fi
  exit 0
}

# Takes a line that came during a turn.
during() {
  case $1 in
    *'"type":"cancel"'*) cancelled=1 ;;
    *'"type":"close"'*) exit 0 ;;
    *) lines+=("$1") ;;
  esac
}

# Waits for so many seconds, or for a cancel.
pause() {
  local line
  IFS= read -r -t "$1" line
  local status=$?
  if [[ $status == 0 ]]; then during "$line"; elif [[ $status -lt 128 ]]; then gone; fi
}

flood() {
  id item
  for ((i = 0; i < $1; i++)); do say "$(words "$new" "word $i")"; done
  say "$(done_with "$new")"
}

slow() {
  id item
  for ((i = 0; i < $1; i++)); do
    say "$(words "$new" "still $i")"
    pause 0.05
    if [[ $cancelled ]]; then break; fi
  done
  say "$(done_with "$new")"
}

ask() {
  local line
  id call
  local call=$new
  id ask
  say "{\"type\":\"tool.seen\",\"call\":\"$call\",\"name\":\"bash\",\"title\":\"true\",\"input\":{\"command\":\"true\"}}"
  say "{\"type\":\"permission\",\"ask\":\"$new\",\"call\":\"$call\",\"action\":\"bash\",\"patterns\":[\"true $new\"],\"options\":[{\"id\":\"once\",\"kind\":\"once\",\"label\":\"Once\"},{\"id\":\"reject\",\"kind\":\"reject\",\"label\":\"No\"}]}"
  while [[ ! $cancelled ]]; do
    IFS= read -r line || gone
    if [[ $line == *'"type":"answer"'* ]]; then break; fi
    during "$line"
  done
  say "{\"type\":\"tool.done\",\"call\":\"$call\",\"ok\":true,\"output\":\"answered\"}"
}

helper() {
  id call
  local call=$new
  id child
  local helper=$new
  id item
  say "{\"type\":\"tool.running\",\"call\":\"$call\",\"name\":\"task\",\"title\":\"A helper\",\"input\":{}}"
  child "$helper" "$call" '{"type":"turn.begun"}'
  child "$helper" "$call" "$(words "$new" helping)"
  pause 0.05
  child "$helper" "$call" "$(done_with "$new")"
  child "$helper" "$call" '{"type":"turn.finished","reason":"end_turn"}'
  say "{\"type\":\"tool.done\",\"call\":\"$call\",\"ok\":true,\"output\":\"helped\"}"
}

prompt() {
  cancelled=
  say '{"type":"step.begun"}'
  if [[ $1 =~ \[\[flood\ ([0-9]+)\]\] ]]; then flood "${BASH_REMATCH[1]}"; fi
  if [[ $1 == *'[[child]]'* && ! $cancelled ]]; then helper; fi
  if [[ $1 == *'[[ask]]'* && ! $cancelled ]]; then ask; fi
  if [[ $1 =~ \[\[slow\ ([0-9]+)\]\] && ! $cancelled ]]; then slow "${BASH_REMATCH[1]}"; fi
  say '{"type":"step.finished","finish":"stop"}'
  if [[ $cancelled ]]; then say '{"type":"turn.finished","reason":"cancelled"}'; else say '{"type":"turn.finished","reason":"end_turn"}'; fi
}

take() {
  case $1 in
    *'"type":"open"'*)
      say '{"type":"ready"}'
      say "{\"type\":\"session\",\"nativeId\":\"chaos-$run\"}"
      ;;
    *'"type":"prompt"'*) prompt "$1" ;;
    *'"type":"close"'*) exit 0 ;;
  esac
}

while :; do
  while [[ ${#lines[@]} -gt 0 ]]; do
    next=${lines[0]}
    lines=("${lines[@]:1}")
    take "$next"
  done
  IFS= read -r line || gone
  take "$line"
done
