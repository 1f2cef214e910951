import Keys
import Terminal
import ViewModels

/// The page of scripts.
enum ScriptsPane {
  static func make(frame: ShellFrame, accent: StyleRole) -> ValueListPane {
    let scripts = ScriptsViewModel(shell: frame.shell)
    var own = ValueListPane.OwnKeys(
      texts: "scripts",
      actions: [
        .toggle: { scripts.toggle() }, .refresh: { scripts.restart() },
        .viewPicture: { scripts.showLog() },
      ],
      hints: [.refresh: "hint.restartScript", .viewPicture: "hint.log", .toggle: "hint.onOff"])
    own.leave = { scripts.leave() }
    return ValueListPane(viewModel: scripts, frame: frame, accent: accent, own: own)
  }
}
