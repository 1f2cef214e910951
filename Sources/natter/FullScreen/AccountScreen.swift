import ConnectionService
import FoundationEssentials
import NatterCore
import Panes
import Storage
import ViewModels
import XMPP

/// One account on the screen, or behind the one that is: its services, its shell, and the tasks that keep both going.
final class AccountScreen {
  let services: AccountServices
  /// What its sub-apps ask of one another.
  let mediator: Mediator
  let paletteMemory: RecentChoices
  var shell: ShellViewModel { feed.shell }
  private(set) var desktop: Desktop
  /// Whether the person still waits for the first connection of this account.
  var awaitsConnection = false
  /// Why nothing is tried any more until somebody has set this computer right, as long as that was not told.
  var untold: ConnectionState?
  /// Why the server no longer takes the credential, as long as nobody was asked for another one.
  var refusal: ConnectionProblem?
  private let tasks: Task<Void, Never>
  private let feed: ShellFeed
  private let show: AsyncStream<Never>.Continuation
  /// How long the connection's end is waited for.
  private static let closingLimit = Duration.seconds(5)

  /// - Parameters:
  ///   - open: opens an address that another program of the same person was started with.
  ///   - leave: another program signs out of the account.
  ///   - watch: follows the account's news beside the shell.
  init(
    services: AccountServices, mediator: Mediator, paletteMemory: RecentChoices,
    shell: ShellViewModel, desktop: Desktop, open: @escaping @MainActor @Sendable (String) -> Void,
    leave: @escaping @MainActor @Sendable () -> Void,
    watch: @escaping @MainActor (DomainEvent) -> Void
  ) {
    self.services = services
    self.mediator = mediator
    self.paletteMemory = paletteMemory
    self.desktop = desktop
    let (shown, show) = AsyncStream<Never>.makeStream()
    self.show = show
    // Subscribed before anything runs: no news is missed.
    let forShell = services.hub.events()
    let forWatch = services.hub.events()
    feed = ShellFeed(shell, forShell)
    tasks = Task {
      await withDiscardingTaskGroup { group in
        group.addTask {
          for await _ in shown {}
          await withDiscardingTaskGroup { group in
            group.addTask { await services.run() }
            group.addTask {
              guard let spool = services.database.spool else { return }
              await InstanceMessenger(spool).follow(open: open, signOut: leave)
            }
          }
        }
        group.addTask { for await event in forWatch { await MainActor.run { watch(event) } } }
      }
    }
  }

  var account: Account { services.account }

  /// Lets the connection begin; until then the machine does nothing but bring what is in the database to the screen.
  func connect() { show.finish() }

  /// Puts another shell in the place of the one there is, which has to have finished; the services go on.
  func replace(shell: ShellViewModel, desktop: Desktop) {
    feed.replace(by: shell)
    self.desktop = desktop
  }

  /// Saves what is being typed, closes the connection and the database. Nothing is lost when it returns.
  func close() async {
    await shell.finish()
    // What counts is in the database by now. A connection that finds no end, to a server that is gone, must not keep
    // the person waiting.
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
      try? await Task.sleep(for: Self.closingLimit)
      tasks.cancel()
      end.finish()
    }
    for await _ in ending {}
    limit.cancel()
    await services.database.close()
  }
}
