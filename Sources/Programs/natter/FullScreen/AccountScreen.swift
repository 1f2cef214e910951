import ConnectionService
import FoundationEssentials
import NatterCore
import Panes
import Storage
import ViewModels
import XMPP

/// The handlers of requests that other processes of the user make to an account with a screen.
struct AccountRequests {
  /// Opens an address that another process was started with.
  let open: @MainActor @Sendable (String) -> Void
  /// Closes the account: another process signs out of it.
  let leave: @MainActor @Sendable () -> Void
  /// Serves programs that connect to the account's socket.
  let listener: BridgeListener
}

/// One account, on the screen or behind the visible one: its services, its shell, and the tasks
/// that run both.
final class AccountScreen {
  let services: AccountServices
  /// Passes requests between its sub-apps.
  let mediator: Mediator
  let paletteMemory: RecentChoices
  var shell: ShellViewModel { feed.shell }
  private(set) var desktop: Desktop
  /// Indicates whether the user still waits for the first connection of this account.
  var awaitsConnection = false
  /// The reason why connecting is given up until the user has repaired something on this computer,
  /// as long as it has not been shown.
  var unreported: ConnectionState?
  /// The reason why the server no longer accepts the credential, as long as the user has not been
  /// asked for another one.
  var refusal: ConnectionProblem?
  private let tasks: Task<Void, Never>
  private let feed: ShellFeed
  private let show: AsyncStream<Never>.Continuation
  /// The longest wait of closing for the connection to end.
  private static let closingLimit = Duration.seconds(5)

  /// - Parameters:
  ///   - requests: those that other processes may make.
  ///   - watch: receives the account's events beside the shell.
  init(
    services: AccountServices, mediator: Mediator, paletteMemory: RecentChoices,
    shell: ShellViewModel, desktop: Desktop, requests: AccountRequests,
    watch: @escaping @MainActor (DomainEvent) -> Void
  ) {
    self.services = services
    self.mediator = mediator
    self.paletteMemory = paletteMemory
    self.desktop = desktop
    let (shown, show) = AsyncStream<Never>.makeStream()
    self.show = show
    // Subscribed before anything runs, so that no event is missed.
    let forShell = services.hub.events()
    let forWatch = services.hub.events()
    feed = ShellFeed(shell, forShell)
    tasks = Task {
      await withDiscardingTaskGroup { group in
        group.addTask {
          for await _ in shown {}
          await withDiscardingTaskGroup { group in
            group.addTask { await services.run() }
            group.addTask { await requests.listener.run() }
            group.addTask {
              guard let spool = services.spool else { return }
              await InstanceMessenger(spool).follow(
                open: requests.open, signOut: requests.leave)
            }
          }
        }
        group.addTask { for await event in forWatch { await MainActor.run { watch(event) } } }
      }
    }
  }

  var account: Account { services.account }

  /// Allows the connection to start; until then only the contents of the database are brought to
  /// the screen.
  func connect() { show.finish() }

  /// Replaces the shell, which has to have finished; the services go on.
  func replace(shell: ShellViewModel, desktop: Desktop) {
    feed.replace(by: shell)
    self.desktop = desktop
  }

  /// Saves the draft, closes the connection and the database. Nothing is lost when it returns.
  func close() async {
    await shell.finish()
    // Everything important is in the database by now. A connection that does not end, to a server
    // that is gone, must not keep the user waiting.
    let (ending, end) = AsyncStream<Never>.makeStream()
    let (services, tasks, feed) = (services, tasks, feed)
    Task {
      await services.connection.goOffline()
      tasks.cancel()
      feed.cancel()
      await tasks.value
      await feed.ended()
      end.finish()
    }
    let limit = Task {
      // Cancelled: the tasks have ended before.
      try? await Task.sleep(for: Self.closingLimit)
      tasks.cancel()
      end.finish()
    }
    for await _ in ending {}
    limit.cancel()
    await services.database.close()
  }
}
