import JSONLines

/// The lines that go to a client.
package enum BridgeLine {
  /// - Parameter method: a name that needs no escape in JSON.
  package static func request(
    _ method: String, _ parameters: JSONLine = JSONLine(), id: BridgeRequest.ID
  ) -> String {
    #"{"jsonrpc":"2.0","id":\#(id.text),"method":"\#(method)","params":\#(parameters.text)}"#
  }

  /// A request that has no answer.
  /// - Parameter method: a name that needs no escape in JSON.
  package static func notification(
    _ method: String, _ parameters: JSONLine = JSONLine()
  ) -> String {
    #"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters.text)}"#
  }

  package static func result(_ result: JSONLine, to id: BridgeRequest.ID) -> String {
    #"{"jsonrpc":"2.0","id":\#(id.text),"result":\#(result.text)}"#
  }

  package static func error(_ error: JSONValue, to id: BridgeRequest.ID?) -> String {
    #"{"jsonrpc":"2.0","id":\#(id?.text ?? "null"),"error":\#(error.text)}"#
  }
}
