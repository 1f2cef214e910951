import Keys
import Terminal
import ViewModels

/// Creates the sub-app Discover: pages of cards about public rooms, feeds, events, services and
/// invitations.
package struct DiscoverFactory: SubAppFactory {
  package static let tab = SubAppTab(.discover, position: 3)
  package let accent = StyleRole.nick2
  package var actions: Set<KeyAction> { CardListPane.actions }
  private let ports: DiscoverPorts

  package init(ports: DiscoverPorts) { self.ports = ports }

  package func makeSubApp(in frame: ShellFrame) -> any SubApp {
    let viewModel = DiscoverViewModel(
      shell: frame.shell,
      pages: [
        RoomsPage(shell: frame.shell, finder: ports.rooms),
        FeedsPage(shell: frame.shell, reader: ports.feeds),
        EventsPage(shell: frame.shell, planner: ports.events),
        ServicesPage(shell: frame.shell, finder: ports.parts),
        InvitationsPage(shell: frame.shell, maker: ports.invitations),
      ])
    let pane = CardListPane(viewModel: viewModel, frame: frame, accent: accent)
    let subApp = PanedSubApp(frame: frame, parts: PanedSubApp.Parts { pane })
    subApp.onShow = { viewModel.show(page: $0, item: $1) }
    return subApp
  }
}
