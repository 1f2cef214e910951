/// Has scripts decorate the messages on the screen. A `ScriptManaging` without it decorates none.
package protocol MessageDecorating: Sendable {
  /// Returns what scripts have for messages, by id.
  ///
  /// A script is asked about a message and its text once. What has not come after a moment is not
  /// waited for: `ScriptChange.decorations` says when there is more.
  func decorations(of request: DecorationRequest) async -> [Message.ID: MessageDecoration]
}
