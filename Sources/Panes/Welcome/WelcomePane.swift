import Terminal
import ViewModels

/// Guide, sign-in and registration: whichever of them is on (UX.md 3.3, screens 1 and 2).
package enum WelcomePane {
  /// A pane that draws the current form of `viewModel`, alone on the screen.
  package static func make(
    viewModel: WelcomeViewModel, glyphs: Glyphs, localizer: Localizer
  ) -> FormPane {
    FormPane(hidesOthers: true, glyphs: glyphs, localizer: localizer) { [viewModel] in
      viewModel.form
    }
  }
}
