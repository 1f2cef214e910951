#!/bin/sh
# Shows in the status line how much is unread in all conversations.
#
# What it shows: the lines that a script and Natter exchange, without a client around them. Each is
# one JSON object; jq writes and reads them. Standard error is the script's log.

# ask ID METHOD PARAMETERS: a request to Natter.
ask() {
  jq -cn --argjson id "$1" --arg method "$2" --argjson params "$3" \
    '{jsonrpc: "2.0", $id, $method, $params}'
}

# answer ID: says that a request of Natter is done.
answer() { jq -cn --argjson id "$1" '{jsonrpc: "2.0", $id, result: {}}'; }

command -v jq >/dev/null || { echo "jq is not installed; this script needs it" >&2; exit 1; }

ask 1 hello '{"api": 1}'
ask 2 events.subscribe '{"events": ["conversation.changed", "conversation.removed"]}'
ask 3 conversations.list '{}'

total=0 mentions=0 skip=0  # of the part of the list that was read
asked=yes                  # the list is on its way
again=no                   # something has changed since

while IFS= read -r line; do
  # The first word says what the line is, the second is its id.
  what=$(printf '%s' "$line" | jq -r '"\(.method // "answer") \(.id | tojson)"')
  id=${what#* }
  case $what in
    'answer 3')
      if printf '%s' "$line" | jq -e .error >/dev/null; then
        printf '%s' "$line" | jq -r .error.message >&2
        asked=no
        continue
      fi
      set -- $(printf '%s' "$line" | jq -r '.result.conversations as $list |
        "\([$list[].unread] | add // 0) \([$list[].mentions] | add // 0) \($list | length)",
        .result.more // false')
      total=$((total + $1)) mentions=$((mentions + $2)) skip=$((skip + $3))
      if [ "$4" = true ]; then  # long lists come in parts
        ask 3 conversations.list "{\"skip\": $skip}"
        continue
      fi
      role=plain
      [ "$mentions" = 0 ] || role=warning
      text="$total unread"
      [ "$total" != 0 ] || text=
      ask 4 ui.status.set "{\"id\": \"unread\", \"text\": \"$text\", \"role\": \"$role\"}"
      total=0 mentions=0 skip=0 asked=$again
      [ $again = no ] || ask 3 conversations.list '{}'
      again=no
      ;;
    answer*)
      printf '%s' "$line" | jq -r '.error.message // empty' >&2
      ;;
    event\ *)
      # However much changes at once, the list is asked for once at a time.
      if [ $asked = yes ]; then again=yes; else asked=yes; ask 3 conversations.list '{}'; fi
      ;;
    ping*) answer "$id" ;;
    bye*) exit 0 ;;
  esac
done
