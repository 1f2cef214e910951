import NatterCore
import Storage
import Text
import ViewModels

/// The commands that work through the bridge: `natter serve`, `tail` and `call`.
struct BridgeCommand {
  let context: LaunchContext

  /// - Returns: the exit code.
  /// - Throws: `CommandFailure`.
  func run(_ request: ClientRequest) async throws -> Int32 {
    try await Self.reporting(context.localizer) {
      switch request {
      case .serve(let name, let isOffline, let socket):
        return try await ServeCommand(context: context).run(
          as: name, isOffline: isOffline, socket: socket)
      case .tail(let request): return try await TailCommand(context: context).run(request)
      case .call(let method, let parameters):
        return try await CallCommand(context: context).run(method, parameters)
      }
    }
  }

  /// Does `work`, and reports its errors as those of a command.
  /// - Throws: `CommandFailure`, or an error that has nothing to do with the bridge.
  static func reporting<Value>(
    _ localizer: Localizer, _ work: () async throws -> Value
  ) async throws -> Value {
    do { return try await work() } catch let refusal as BridgeClient.Refusal {
      throw CommandFailure(code: ExitCode(bridgeError: refusal.code), text: refusal.text)
    } catch is BridgeClient.Lost {
      throw CommandFailure(code: .temporary, text: localizer("cli.bridge-lost"))
    } catch is BridgeClient.Silent {
      throw CommandFailure(code: .temporary, text: localizer("cli.bridge-silent"))
    } catch let error as StorageError {
      let reported = error.natterError
      throw CommandFailure(
        code: ExitCode(reading: error),
        text: localizer(reported.key, reported.arguments))
    }
  }
}
