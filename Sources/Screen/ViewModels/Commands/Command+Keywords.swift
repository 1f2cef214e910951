import NatterCore

extension Command.Parameter {
  /// The values of a parameter that has always the same ones, for completion.
  var keywords: [String] {
    switch self {
    case .refreshing: ["stop"]
    case .service: ["add", "remove"]
    case .affiliation: Occupant.Affiliation.allCases.map(\.rawValue)
    case .notification: NotificationRule.allCases.map(\.rawValue) + ["word"]
    case .notifyWords: NotifyWordRequest.operations
    case .mute: ConversationNotifications.offeredTimes
    case .allConversations: ["all"]
    case .thisConversation: ["here"]
    case .thisMessage: ["message"]
    case .history: HistoryRequest.allCases.map(\.rawValue)
    case .exportFormat: HistoryFileRequest.exportWords
    case .importOperation: HistoryFileRequest.importWords
    case .script: ScriptRequest.operations
    default: []
    }
  }
}
