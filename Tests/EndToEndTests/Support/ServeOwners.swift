import Foundation
import TestSupport
import Testing

/// Owners of an account that are killed while `natter serve` sends messages through them.
struct ServeOwners {
  static let account = ["--account", "me@localhost"]
  private let home: Home

  init(_ home: Home) { self.home = home }

  /// A home whose account of the built-in server exists.
  static func home() async throws -> Home {
    let home = try Home()
    let line = try LineNatter(["--local"], home: home)
    #expect(try await polls { !home.listeningSockets.isEmpty })
    #expect(await line.quit() == .exited(0))
    return home
  }

  /// Kills so many owners, each while it has a message, and checks that each message is stored
  /// once, and all in order.
  /// - Parameter answers: the number of other answers of the owner between the request and its end.
  func kill(_ count: Int, after answers: (Int) -> Int) async throws {
    let serve = try BridgeRun(["serve"] + Self.account, home: home)
    try await serve.greet()
    #expect(try await home.waits(forHolder: serve.identifier))
    var number = 0
    // Far from the ids of the messages.
    var ping = 1_000_000
    for round in 1...count {
      // It asks for the account, and gets it.
      let owner = try LineNatter(["--local"], home: home)
      #expect(try await polls { home.holder != serve.identifier })
      for isLast in [false, false, true] {
        number += 1
        serve.request(
          "messages.send", #"{"conversation":"natter@localhost","body":"number \#(number)"}"#,
          id: number)
        // At whatever moment of the request it is.
        if isLast {
          for _ in 0..<answers(round) {
            ping += 1
            #expect(try await serve.ask("ping", id: ping).errorCode == nil)
          }
          await owner.kill()
        }
        let answer = try await serve.answer(to: number)
        #expect(answer.errorCode == nil, "\(answer.text)")
      }
      #expect(try await home.waits(forHolder: serve.identifier))
    }
    serve.signal(SIGTERM)
    #expect(await serve.waitsForEnd() == .exited(143))
    let history = try await CommandRun(
      Programs.natter, ["history", "natter@localhost", "--limit=0"] + Self.account,
      environment: home.environment())
    let numbers = history.text.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /you  number (\d+)$/).flatMap { Int($0.output.1) }
    }
    #expect(numbers == Array(1...(3 * count)), "\(history.text)")
  }
}
