import Terminal

// The style roles of Natter's panes, and their names in theme files
// (interface.md, "Colours and themes").
nonisolated extension StyleRole {
  package static let dim = StyleRole(rawValue: 1)
  package static let strong = StyleRole(rawValue: 2)
  package static let heading = StyleRole(rawValue: 3)
  package static let surface = StyleRole(rawValue: 4)
  package static let sidebar = StyleRole(rawValue: 5)
  package static let overlay = StyleRole(rawValue: 6)
  package static let border = StyleRole(rawValue: 7)
  package static let borderFocus = StyleRole(rawValue: 8)
  package static let tab = StyleRole(rawValue: 9)
  package static let tabActive = StyleRole(rawValue: 10)
  package static let badge = StyleRole(rawValue: 11)
  package static let badgeMention = StyleRole(rawValue: 12)
  package static let statusOK = StyleRole(rawValue: 13)
  package static let statusWarning = StyleRole(rawValue: 14)
  package static let statusError = StyleRole(rawValue: 15)
  package static let statusInfo = StyleRole(rawValue: 16)
  package static let presenceOnline = StyleRole(rawValue: 17)
  package static let presenceAway = StyleRole(rawValue: 18)
  package static let presenceBusy = StyleRole(rawValue: 19)
  package static let presenceOffline = StyleRole(rawValue: 20)
  package static let nickMe = StyleRole(rawValue: 21)
  package static let nick0 = StyleRole(rawValue: 22)
  package static let nick1 = StyleRole(rawValue: 23)
  package static let nick2 = StyleRole(rawValue: 24)
  package static let nick3 = StyleRole(rawValue: 25)
  package static let nick4 = StyleRole(rawValue: 26)
  package static let nick5 = StyleRole(rawValue: 27)
  package static let nick6 = StyleRole(rawValue: 28)
  package static let nick7 = StyleRole(rawValue: 29)
  package static let time = StyleRole(rawValue: 30)
  package static let day = StyleRole(rawValue: 31)
  package static let unreadMarker = StyleRole(rawValue: 32)
  package static let tickPending = StyleRole(rawValue: 33)
  package static let tickSent = StyleRole(rawValue: 34)
  package static let tickRead = StyleRole(rawValue: 35)
  package static let tickFailed = StyleRole(rawValue: 36)
  package static let quote = StyleRole(rawValue: 37)
  package static let code = StyleRole(rawValue: 38)
  package static let link = StyleRole(rawValue: 39)
  package static let mention = StyleRole(rawValue: 40)
  package static let reaction = StyleRole(rawValue: 41)
  package static let system = StyleRole(rawValue: 42)
  package static let input = StyleRole(rawValue: 43)
  package static let placeholder = StyleRole(rawValue: 44)
  package static let completion = StyleRole(rawValue: 45)
  package static let completionSelected = StyleRole(rawValue: 46)
  package static let selection = StyleRole(rawValue: 47)
  package static let searchMatch = StyleRole(rawValue: 48)
  package static let button = StyleRole(rawValue: 49)
  package static let buttonDefault = StyleRole(rawValue: 50)
  package static let field = StyleRole(rawValue: 51)
  package static let fieldError = StyleRole(rawValue: 52)
  package static let progressDone = StyleRole(rawValue: 53)
  package static let progressTodo = StyleRole(rawValue: 54)
  package static let key = StyleRole(rawValue: 55)
  package static let scrollbar = StyleRole(rawValue: 56)
  package static let emphasis = StyleRole(rawValue: 57)
  package static let strike = StyleRole(rawValue: 58)
  package static let tickDelivered = StyleRole(rawValue: 59)

  /// Every role by its name in theme files; `text` is the plain role.
  package static let named: [String: StyleRole] = [
    "text": .plain,
    "text.dim": .dim,
    "text.strong": .strong,
    "text.emphasis": .emphasis,
    "text.strike": .strike,
    "heading": .heading,
    "surface": .surface,
    "surface.sidebar": .sidebar,
    "surface.overlay": .overlay,
    "border": .border,
    "border.focus": .borderFocus,
    "tab": .tab,
    "tab.active": .tabActive,
    "badge": .badge,
    "badge.mention": .badgeMention,
    "status.ok": .statusOK,
    "status.warn": .statusWarning,
    "status.error": .statusError,
    "status.info": .statusInfo,
    "presence.online": .presenceOnline,
    "presence.away": .presenceAway,
    "presence.busy": .presenceBusy,
    "presence.offline": .presenceOffline,
    "nick.me": .nickMe,
    "nick.0": .nick0,
    "nick.1": .nick1,
    "nick.2": .nick2,
    "nick.3": .nick3,
    "nick.4": .nick4,
    "nick.5": .nick5,
    "nick.6": .nick6,
    "nick.7": .nick7,
    "time": .time,
    "day": .day,
    "marker.unread": .unreadMarker,
    "tick.pending": .tickPending,
    "tick.sent": .tickSent,
    "tick.delivered": .tickDelivered,
    "tick.read": .tickRead,
    "tick.failed": .tickFailed,
    "quote": .quote,
    "code": .code,
    "link": .link,
    "mention": .mention,
    "reaction": .reaction,
    "system": .system,
    "input": .input,
    "input.placeholder": .placeholder,
    "completion": .completion,
    "completion.selected": .completionSelected,
    "selection": .selection,
    "search.match": .searchMatch,
    "button": .button,
    "button.default": .buttonDefault,
    "field": .field,
    "field.error": .fieldError,
    "progress.done": .progressDone,
    "progress.todo": .progressTodo,
    "key": .key,
    "scrollbar": .scrollbar,
  ]
}
