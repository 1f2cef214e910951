/// The version of the bridge's methods and events.
package enum BridgeVersion {
  /// The one that this program speaks.
  package static let current = 1
}
