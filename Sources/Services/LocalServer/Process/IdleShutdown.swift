/// The detection of a server without clients.
struct IdleShutdown: Sendable {
  private enum Tick {
    case population(Int)
    /// The wait that began with the change of this number has elapsed.
    case lapsed(Int)
  }

  private let linger: Duration
  private let patience: Duration

  init(_ settings: ServerSettings) {
    linger = settings.linger
    patience = settings.patience
  }

  /// Returns when no client has been connected for long enough: `patience` before the first client,
  /// `linger` after the last.
  func wait(for server: Server) async {
    let populations = await server.population()
    let (ticks, report) = AsyncStream<Tick>.makeStream()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await count in populations { report.yield(.population(count)) }
        report.finish()
      }
      var changes = 0
      var hasServed = false
      for await tick in ticks {
        switch tick {
        case .population(let count):
          changes += 1
          if count > 0 {
            hasServed = true
          } else {
            let (change, limit) = (changes, hasServed ? linger : patience)
            group.addTask {
              // Cancelled: the wait ended for another reason.
              guard (try? await Task.sleep(for: limit)) != nil else { return }
              report.yield(.lapsed(change))
            }
          }
        case .lapsed(let change):
          guard change == changes else { continue }
          group.cancelAll()
          return
        }
      }
      group.cancelAll()
    }
  }
}
