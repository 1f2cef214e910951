import JSONLines
import NatterCore

extension BridgeLine {
  /// - Parameter data: an object, as JSON.
  static func event(
    _ name: BridgeEvent, data: String, cursor: Int64? = nil, of subscription: String
  ) -> String {
    let head = JSONLine {
      $0.add("subscription", subscription)
      $0.add("cursor", cursor.map { Int($0) })
      $0.add("event", name.rawValue)
    }
    let members = head.text.dropLast()
    return #"{"jsonrpc":"2.0","method":"event","params":\#(members),"data":\#(data)}}"#
  }
}
