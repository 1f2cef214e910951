import NatterCore
import Storage
import Text
import ViewModels

/// The commands that work through the bridge: `natter serve`, `tail` and `call`.
struct BridgeCommand {
  let context: LaunchContext

  /// - Returns: the exit code.
  /// - Throws: `CommandFailure`.
  func run(_ request: BridgeRequest) async throws -> Int32 {
    do {
      switch request {
      case .serve(let name, let isOffline, let socket):
        return try await ServeCommand(context: context).run(
          as: name, isOffline: isOffline, socket: socket)
      case .tail(let request): return try await TailCommand(context: context).run(request)
      case .call(let method, let parameters):
        return try await CallCommand(context: context).run(method, parameters)
      }
    } catch let refusal as BridgeClient.Refusal {
      throw CommandFailure(code: ExitCode(bridgeError: refusal.code), text: refusal.text)
    } catch is BridgeClient.Lost {
      throw CommandFailure(code: .temporary, text: context.localizer("cli.bridge-lost"))
    } catch is BridgeClient.Silent {
      throw CommandFailure(code: .temporary, text: context.localizer("cli.bridge-silent"))
    } catch let error as StorageError {
      let reported = error.natterError
      throw CommandFailure(
        code: ExitCode(reading: error),
        text: context.localizer(reported.key, reported.arguments))
    }
  }
}
