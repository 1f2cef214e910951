import BridgeService
import FoundationEssentials
import Glibc
import ImportService
import JSONLines
import NatterCore
import System
import Terminal
import Text
import ViewModels
import XMPP

/// Imports histories for `natter import` through the process that has the account open.
struct SocketImport {
  let context: LaunchContext
  let request: ImportRequest
  let account: JID
  private let client: BridgeClient

  /// The time that the process may take to answer at all.
  private static let greetingLimit = Duration.seconds(10)

  /// - Returns: `nil`: no process answers on the account's socket.
  init?(_ context: LaunchContext, _ request: ImportRequest, _ account: JID) async {
    guard let connection = await BridgeSocket(of: account, context).connect() else { return nil }
    do {
      client = try BridgeClient(SingleUpstream(connection))
      try await client.greet(within: Self.greetingLimit)
    } catch {
      connection.close()
      return nil
    }
    (self.context, self.request, self.account) = (context, request, account)
  }

  func close() { client.close() }

  private var printer: ImportPrinter {
    ImportPrinter(localizer: context.localizer, isJSON: request.isJSON, isTrial: request.isTrial)
  }

  /// Imports a history, and prints what was stored of it.
  /// - Parameters:
  ///   - password: of the account, for a history that is encrypted with it.
  ///   - merge: why an archive is not restored.
  ///   - number: another one for each history.
  /// - Throws: `CommandFailure`, also after a signal.
  func run(
    _ source: HistoryImporter.Source, _ selection: ImportSelection, password: String?,
    merge: ImportReport.MergeReason, number: Int
  ) async throws -> ImportReport {
    var members: [String: JSONValue] = [
      "account": .text(account.description), "path": .text(URL(filePath: source.path).path),
      "format": .text(source.format.name), "owner": .text(selection.owner.description),
      "names": .array(request.names.sorted().map { .text($0) }),
      "trial": .boolean(request.isTrial),
    ]
    members["zone"] = request.zone.map { .text($0) }
    members["since"] = selection.since.map { .text(XEP0082DateTime.text(for: $0)) }
    members["only"] = selection.only.map { .text($0.description) }
    members["password"] = password.map { .text($0) }
    let (object, signal) = try await ask("import.run", members, id: 2 + number)
    var report = ImportReport(path: source.path, format: source.format.name)
    report.take(object)
    if object["restored"] != nil { report.archive = .merged(merge) }
    if request.isJSON {
      try StandardStreams.report(object.text, context.localizer)
    } else {
      try printer.print(report, sentence: object["error"]?.string)
    }
    if report.isCancelled {
      throw SendCommand.stopped(signal ?? SIGINT, context.localizer("cli.import-stopped"))
    }
    return report
  }

  /// Removes what an import added.
  /// - Returns: `false`: there is no such import.
  /// - Throws: `CommandFailure`.
  func undo(_ batch: Int64) async throws -> Bool {
    let (result, _) = await request(
      "import.undo", ["account": .text(account.description), "batch": .integer(Int(batch))], id: 2)
    if case .failure(let refusal as BridgeClient.Refusal) = result,
      refusal.code == BridgeError.Code.notFound.rawValue
    {
      return false
    }
    let object = try await BridgeCommand.reporting(context.localizer) { try result.get() }
    try printer.printUndone(batch, object["removed"]?.int ?? 0, of: account)
    return true
  }

  /// Makes a request, and reports its failure as that of a command.
  /// - Throws: `CommandFailure`.
  private func ask(
    _ method: String, _ members: [String: JSONValue], id: Int
  ) async throws -> (JSONValue, Int32?) {
    let (result, signal) = await request(method, members, id: id)
    return try await BridgeCommand.reporting(context.localizer) { (try result.get(), signal) }
  }

  /// Makes a request; a signal cancels it there, and the answer is what was done until then.
  private func request(
    _ method: String, _ members: [String: JSONValue], id: Int
  ) async -> (Result<JSONValue, any Error>, Int32?) {
    let client = client
    let asking = Task { try await client.ask(method, .object(members), id: id) }
    return await StopSignals.cancelling {
      try await withTaskCancellationHandler {
        try await asking.value
      } onCancel: {
        client.cancel(id)
      }
    }
  }
}

extension ImportReport {
  /// Takes the numbers of an object of `import.run`, and that it could not be read to its end.
  fileprivate mutating func take(_ object: JSONValue) {
    batch = object["batch"]?.int.map { Int64($0) }
    tally.added = object["added"]?.int ?? 0
    tally.known = object["known"]?.int ?? 0
    skipped = object["skipped"]?.int ?? 0
    leftOut = object["left_out"]?.int ?? 0
    foreign = object["foreign"]?.int ?? 0
    refused = object["refused"]?.int ?? 0
    locations = object["locations"]?.elements?.compactMap(\.string) ?? []
    isCancelled = object["cancelled"]?.bool ?? false
    if object["error"] != nil {
      failure =
        object["failure"]?.string == "library" ? .missingLibrary("") : .damaged(path: path)
    }
  }
}
