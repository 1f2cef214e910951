import BridgeService
import Glibc
import JSONLines
import NatterCore
import Text
import ViewModels

/// `natter call METHOD [JSON|-]`: makes one request of the bridge, and prints its result.
struct CallCommand {
  let context: LaunchContext

  /// - Parameter text: the parameters in JSON; `-`: standard input has them; `nil`: none.
  /// - Returns: the exit code.
  func run(_ method: String, _ text: String?) async throws -> Int32 {
    var parameters = try self.parameters(text)
    let control = ServeControl()
    let access: BridgeAccess
    do { access = try await BridgeAccess(context, control) } catch {
      try check(method, parameters)
      throw error
    }
    // Stored data is read without opening the account.
    var isOffline = StoredBridge.reads(.request(method, parameters, id: .integer(2)))
    if isOffline, try await !access.hasStoredData {
      try check(method, parameters)
      isOffline = false
    }
    let gateway = access.gateway(isOffline: isOffline)
    do {
      try await gateway.connection().close()
      if let owner = control.owner {
        // This process ends with the request: it has to be done before.
        if let problem = await owner.firstProblem() { throw problem }
        if method == "messages.send", case .object(var members) = parameters,
          members["wait"] == nil
        {
          members["wait"] = .text("sent")
          parameters = .object(members)
        }
      }
      let client = try BridgeClient(gateway)
      defer { client.close() }
      try await client.greet(within: Self.greetingLimit)
      let result = try await client.ask(method, parameters, id: 2)
      await gateway.close()
      try StandardStreams.report(result.text, context.localizer)
      return ExitCode.done.rawValue
    } catch {
      await gateway.close()
      throw error
    }
  }

  /// Checks a request that no other process can answer: it would know more methods.
  /// - Throws: `BridgeClient.Refusal`.
  private func check(_ method: String, _ parameters: JSONValue) throws {
    let localizer = context.localizer
    do throws(BridgeError) { try BridgeMethod.check(method, parameters) } catch {
      throw BridgeClient.Refusal(error.object { localizer($0) })
    }
  }

  private func parameters(_ text: String?) throws -> JSONValue {
    guard let text else { return .object([:]) }
    let bytes: [UInt8]
    if text == "-" {
      do {
        bytes = try StandardStreams.readAll(from: STDIN_FILENO, limit: Self.limit + 1)
      } catch {
        throw CommandFailure(code: .usage, text: context.localizer("cli.unreadable-input"))
      }
    } else {
      bytes = Array(text.utf8)
    }
    guard bytes.count <= Self.limit, let value = try? JSONValue(parsing: bytes),
      case .object = value
    else {
      throw CommandFailure(code: .usage, text: context.localizer("cli.bad-parameters"))
    }
    return value
  }

  /// The longest time that a Natter may take to answer at all.
  private static let greetingLimit = Duration.seconds(10)
  /// The longest line of the bridge in bytes, less what is around the parameters.
  private static let limit = BridgeLimits.line - 4096
}
