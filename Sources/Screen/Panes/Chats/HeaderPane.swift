import NatterCore
import Terminal
import Text
import ViewModels

/// The name and address of the conversation; below it a rule, where there is room for one. For a
/// screen reader, text that does not fit continues there.
package final class HeaderPane: Pane {
  /// Indicates whether list and conversation are pages: then a glyph shows that a way back exists.
  var isPage = false { didSet { if isPage != oldValue { viewModel.invalidation.raise() } } }

  private let viewModel: HeaderViewModel
  private let glyphs: Glyphs

  package init(viewModel: HeaderViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let width = surface.size.columns
    surface.write(
      viewModel.isFocused ? glyphs.marker : isPage ? "<" : " ", row: 0, column: 0, role: .heading)
    let start = isPage ? 2 : 1
    if glyphs.isLinear { return drawLinear(column: start, into: &surface) }
    let role = viewModel.availability.map { StyleRole.presence($0) } ?? .dim
    let glyph = viewModel.glyph.isEmpty ? 0 : viewModel.glyph.columns + 1
    // The name is cut to make room for the glyph, everything else for the name.
    var column = surface.write(
      viewModel.title.truncated(
        columns: max(0, width - start - glyph - 1), mark: glyphs.ellipsis),
      row: 0, column: start, role: viewModel.conversation == nil ? .dim : .heading)
    if glyph > 0 {
      column = surface.write(" " + viewModel.glyph, row: 0, column: column, role: role)
    }
    for (text, gap, role) in [
      (viewModel.presence, 1, role), (viewModel.muted, 2, .dim), (viewModel.address, 2, .dim),
      (viewModel.status, 2, .plain),
    ] where !text.isEmpty {
      let room = width - column - gap - 1
      guard room >= min(text.columns, 12) else { break }
      column = surface.write(
        text.truncated(columns: room, mark: glyphs.ellipsis), row: 0, column: column + gap,
        role: role)
    }
    if surface.size.rows > 1 {
      surface.write(
        String(repeating: glyphs.horizontal, count: width), row: 1, column: 0, role: .border)
    }
  }

  /// Text only, without glyphs.
  private func drawLinear(column: Int, into surface: inout Surface) {
    let width = max(1, surface.size.columns - column - 1)
    let line = StyledText(viewModel.line, viewModel.conversation == nil ? .dim : .heading)
    for (row, text) in line.wrapped(width: width).prefix(surface.size.rows).enumerated() {
      surface.write(text, row: row, column: column, limit: width)
    }
  }
}
