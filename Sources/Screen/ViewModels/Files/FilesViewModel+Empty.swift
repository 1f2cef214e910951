import NatterCore
import Text
import XMPP

extension FilesViewModel {
  /// The reason why the list is empty.
  var emptyText: String {
    if shell.ports.files == nil { return format.localizer("error.files.off") }
    if page == Page.running { return format.localizer("files.noneRunning") }
    if search?.isEmpty == false { return format.localizer("sidebar.noneMatch") }
    if page == "all" { return format.localizer("files.noneYet") }
    if Page.fixed.contains(page) { return format.localizer("files.none.\(page)") }
    return format.localizer(
      "files.noneOf", ["name": shownConversation.map { shell.people.name(of: $0) } ?? page])
  }
}
