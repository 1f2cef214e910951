import NatterCore

/// The events that can start a script, by their names on the wire.
package enum ScriptEvents {
  package static let names = BridgeEvent.names

  /// Returns the right that a subscription to an event needs; `nil`: there is no such event.
  static func right(for event: String) -> ScriptRight? {
    BridgeEvent(rawValue: event)?.permission.map { .bridge($0) }
  }
}
