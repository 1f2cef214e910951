/// The actions of commands on conversations and messages that have types of their own.
package struct ConversationTools {
  let shell: ShellViewModel

  var readMarks: ReadMarks { ReadMarks(shell: shell) }
  var words: NotifyWordTool { NotifyWordTool(shell: shell) }
  var rules: NotificationRuleTool { NotificationRuleTool(shell: shell) }
  var history: HistoryFetchTool { HistoryFetchTool(shell: shell) }
  var historyFiles: HistoryFileTool { HistoryFileTool(shell: shell) }
  var locations: LocationSharing { LocationSharing(shell: shell) }
  package var pins: PinnedMessages { PinnedMessages(shell: shell) }
  var threads: MessageThreads { MessageThreads(shell: shell) }
  package var scripts: ScriptTool { ScriptTool(shell: shell) }
  package var forwarding: MessageForwarding { MessageForwarding(shell: shell) }
}
