import Keys
import NatterCore
import Terminal
import ViewModels

/// Creates the sub-app Files: sent and received files and active transfers, with the filters at the
/// side.
package struct FilesFactory: SubAppFactory {
  package static let tab = SubAppTab(.files, position: 4)
  package let accent = StyleRole.nick2

  package var actions: Set<KeyAction> { FileListPane.actions }

  package init() {}

  package func makeSubApp(in frame: ShellFrame) -> any SubApp {
    let files = FilesViewModel(shell: frame.shell)
    let list = FileListPane(viewModel: files, frame: frame)
    let filters = PageListPane(viewModel: files.filters, frame: frame)
    let subApp = PanedSubApp(
      frame: frame,
      parts: PanedSubApp.Parts(
        sidebar: filters, widthKey: PreferenceKey.width(of: tab.id), content: { list }))
    filters.onOpen = { [weak subApp] in subApp?.showContent() }
    list.onFilters = { [weak subApp] in subApp?.showSidebar() }
    subApp.onShow = { page, item in
      files.show(page)
      if let id = Int64(item) { files.reveal(Message.ID(id)) }
    }
    // The focus starts in the list, not in the filters.
    subApp.showContent()
    return subApp
  }
}
