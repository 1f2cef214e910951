#!/bin/sh
# @NAME@: counts messages, and says how many came. natter-script(7) has all methods and events.
#
# Each line of standard input and output is one JSON object; jq reads and writes them. Standard
# error is the script's log. The working folder is the script's storage: its files stay.

command -v jq >/dev/null || { echo "jq is not installed; this script needs it" >&2; exit 1; }

# request ID METHOD PARAMETERS
request() {
  jq -cn --argjson id "$1" --arg method "$2" --argjson params "$3" \
    '{jsonrpc: "2.0", $id, $method, $params}'
}

# The number of messages, and the last message of each account that was counted.
count() { cat count 2>/dev/null || echo 0; }
after() { cat after 2>/dev/null || echo '{}'; }

request 1 hello '{"api": 1}'
# The user is asked whether the script may read messages.
request 2 events.subscribe '{"events": ["message.new"], "in": ["direct"], "after": '"$(after)"'}'

while IFS= read -r line; do
  method=$(printf '%s' "$line" | jq -r '.method // empty')
  case $method in
    command.run) # /@NAME@ WORDS: shows a note to the user, which is not sent
      printf '%s' "$line" | jq -c --arg count "$(count)" '{jsonrpc: "2.0", id, result:
        {note: "\($count) messages came. You said: \(.params.arguments | join(" "))"}}'
      ;;
    event)
      event=$(printf '%s' "$line" | jq -r '"\(.params.event) \(.params.data.direction)"')
      case $event in
        'message.new in') echo $(($(count) + 1)) >count.new && mv count.new count ;;
        message.new*) ;;
        *) exit 1 ;; # event.gap: started again, the script gets what it has missed
      esac
      printf '%s' "$line" | jq -c --argjson after "$(after)" \
        '$after + {(.params.data.account): .params.cursor}' >after.new && mv after.new after
      ;;
    ping) printf '%s' "$line" | jq -c '{jsonrpc: "2.0", id, result: {}}' ;;
    bye) exit 0 ;;
    '') # an answer: only errors matter, such as a right that was not given
      printf '%s' "$line" | jq -r '.error.message // empty' >&2
      ;;
  esac
done
