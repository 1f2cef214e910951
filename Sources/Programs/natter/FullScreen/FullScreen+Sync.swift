import MessagingService
import NatterCore
import ViewModels
import XMPP

// Data sync on the user's request.
extension FullScreen {
  /// Begins it anew for an account, or ends it, and says what came of that.
  func synchronize(_ begins: Bool, _ account: JID) {
    guard let screen = screen(of: account) else { return }
    begin {
      let sync = screen.services.dataSync
      if begins {
        guard await !sync.restart() else { return }
        screen.shell.show(StatusNotice(.info, "status.sync.offline"))
      } else {
        let wasUnderWay = await sync.cancel()
        screen.shell.show(
          StatusNotice(.info, wasUnderWay ? "status.sync.stopped" : "status.sync.nothing"))
      }
    }
  }
}
