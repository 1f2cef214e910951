import FoundationEssentials
import Glibc
import JSONLines
import NatterCore
import Storage
import System
import Terminal
import Text
import ViewModels
import XMPP

/// `natter tail [JID...]`: prints messages as they are stored, until it is ended or nothing reads
/// its output.
struct TailCommand {
  let context: LaunchContext
  var now = Date()

  private enum Ending: Sendable {
    case done
    case signal(Int32)
    case failed(any Error)
  }

  /// - Returns: the exit code.
  func run(_ request: TailRequest) async throws -> Int32 {
    let addresses = try request.addresses.map {
      try SentText(localizer: context.localizer).recipient($0)
    }
    let control = ServeControl()
    let access = try await BridgeAccess(context, control)
    let format = ItemFormat(localizer: context.localizer, account: access.account.jid)
    let since = request.since?.beginning(now: now, in: format)
    let (cursor, names) = try await stored(access.account.jid, request, since, format)
    let printer = TailPrinter(
      account: access.account.jid, addresses: addresses, since: since, isJSON: request.isJSON,
      names: names)
    let parameters = parameters(access.account.jid, addresses, cursor)
    let gateway = access.gateway(isOffline: false)
    let client = try BridgeClient(gateway)
    let signals = StopSignals()
    let ending = await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do {
          try await Self.print(parameters, from: client, by: printer)
          return .done
        } catch {
          // The reason may be that no server can be reached.
          if error is BridgeClient.Lost, let problem = await control.owner?.firstProblem() {
            return .failed(problem)
          }
          return .failed(error)
        }
      }
      group.addTask { await Self.problem(of: control).map { .failed($0) } ?? .done }
      group.addTask {
        for await number in signals.numbers { return .signal(number) }
        return .done
      }
      if let reader = ReaderWatch(STDOUT_FILENO) {
        group.addTask {
          await reader.ended()
          return .done
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? .done
    }
    signals.release()
    client.close()
    await gateway.close()
    switch ending {
    case .done: return ExitCode.done.rawValue
    case .signal(let number): return 128 + number
    case .failed(let error): throw error
    }
  }

  /// Waits until this process has the account open and cannot connect; forever otherwise.
  private nonisolated static func problem(
    of control: ServeControl
  ) async -> ConnectionProblem? {
    for await owner in control.owners {
      if let problem = await owner.firstProblem() { return problem }
    }
    return nil
  }

  /// The message after which it begins, and the names that are known; without stored data `nil` and
  /// none.
  private func stored(
    _ account: JID, _ request: TailRequest, _ since: Date?, _ format: ItemFormat
  ) async throws -> (cursor: Int?, names: StoredNames) {
    let database = try await AccountDatabase.openReading(
      at: context.databaseFile(of: account).path)
    do {
      let names = try await StoredNames(database, format: format)
      var cursor = request.cursor
      if let since, let first = try await database?.details.firstID(since: since) {
        cursor = Int(first.rawValue) - 1
      }
      await database?.close()
      return (cursor, names)
    } catch {
      await database?.close()
      throw error
    }
  }

  private func parameters(
    _ account: JID, _ addresses: [JID], _ cursor: Int?
  ) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["events": .array([.text("message.new")])]
    if !addresses.isEmpty { members["in"] = .array(addresses.map { .text($0.description) }) }
    if let cursor { members["after"] = .object([account.description: .integer(cursor)]) }
    return members
  }

  /// Prints messages until nothing reads them any more.
  private nonisolated static func print(
    _ parameters: [String: JSONValue], from client: BridgeClient, by printer: TailPrinter
  ) async throws {
    try await client.greet()
    var messages = try await TailSubscription(client, parameters)
    while true {
      guard let text = await printer.text(of: try await messages.next()) else { continue }
      guard try await StandardStreams.pass(text) else { return }
    }
  }
}

/// Formats the messages of events as lines.
struct TailPrinter {
  let account: JID
  /// The conversations that are wanted; empty: all.
  let addresses: [JID]
  let since: Date?
  let isJSON: Bool
  let names: StoredNames

  /// Returns the lines of a message, with a line feed; `nil`: it is not wanted.
  func text(of message: JSONValue) -> String? {
    let conversation = message["conversation"]?.string.flatMap { JID(parsing: $0) }
    let date = message["at"]?.string.flatMap { XEP0082DateTime.date(from: $0) }
    if !addresses.isEmpty {
      guard let conversation,
        addresses.contains(where: { $0 == conversation || $0 == conversation.bare })
      else { return nil }
    }
    if let since, let date, date < since { return nil }
    if isJSON { return message.text + "\n" }
    let format = names.format
    var head = date.map { format.stamp($0) + " " } ?? ""
    if addresses.count != 1, let conversation { head += SafeText.line(conversation.shown) + " " }
    let name =
      message["direction"]?.string == "out"
      ? format.localizer("timeline.you")
      : message["nick"]?.string ?? conversation.map { names.name(of: $0) } ?? ""
    head += SafeText.line(name) + "  "
    // A line end in a message cannot imitate a new one.
    let lines = (message["body"]?.string ?? "").split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return head + lines.map { SafeText.line(format.shown(String($0))) }.joined(separator: "\n    ")
      + "\n"
  }
}
