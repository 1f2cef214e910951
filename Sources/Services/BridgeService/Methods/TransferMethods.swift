import FoundationEssentials
import JSONLines
import NatterCore
import XMPP

/// Importing histories of other programs.
enum TransferMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "import.run", .control,
      [
        .required("path", .filled(4096)), BridgeParameter("format", .filled(64)),
        BridgeParameter("owner", .address), BridgeParameter("names", .texts(most: 100)),
        BridgeParameter("zone", .filled(64)), BridgeParameter("since", .filled(64)),
        BridgeParameter("only", .address), BridgeParameter("trial", .boolean),
        BridgeParameter("password", .filled(4096)),
      ]
    ) { call in
      let arguments = call.arguments
      let path = try call.text("path")
      guard path.utf8.first == UInt8(ascii: "/") else {
        throw BridgeError.parameter("path", "is not absolute")
      }
      var request = BridgeImport(path: path)
      request.format = arguments.text("format")
      request.owner = arguments.address("owner")?.bare
      request.names = arguments.texts("names") ?? []
      request.zone = arguments.text("zone")
      request.only = arguments.address("only")
      request.isTrial = arguments.boolean("trial")
      request.password = arguments.text("password")
      if let text = arguments.text("since") {
        guard let date = XEP0082DateTime.date(from: text) else {
          throw BridgeError.parameter("since", "is not a time")
        }
        request.since = date
      }
      return try await call.transfers.runImport(request)
    },
    BridgeMethod("import.undo", .control, [.required("batch", .integer(1...Int.max))]) { call in
      let (account, batch) = (try call.account.jid, call.arguments.integer("batch") ?? 0)
      guard let removed = try await call.transfers.undoImport(batch) else {
        throw BridgeError(.notFound, "no such import")
      }
      return JSONLine {
        $0.add("account", account.description)
        $0.add("batch", batch)
        $0.add("removed", removed)
      }
    },
  ]
}

extension BridgeCall {
  fileprivate var transfers: any HistoryTransferring {
    get throws(BridgeError) {
      guard let transfers = try services.transfers else { throw BridgeError(.busy) }
      return transfers
    }
  }
}
