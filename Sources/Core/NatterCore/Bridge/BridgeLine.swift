import JSONLines

/// The lines that go to a client.
package enum BridgeLine {
  package static func result(_ result: JSONLine, to id: BridgeRequest.ID) -> String {
    #"{"jsonrpc":"2.0","id":\#(id.text),"result":\#(result.text)}"#
  }

  package static func error(_ error: JSONValue, to id: BridgeRequest.ID?) -> String {
    #"{"jsonrpc":"2.0","id":\#(id?.text ?? "null"),"error":\#(error.text)}"#
  }
}
