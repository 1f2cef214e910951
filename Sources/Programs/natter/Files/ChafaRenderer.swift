import Configuration
import NatterCore
import Panes
import System
import Terminal

/// Converts pictures into coloured characters with `chafa`, where it is installed.
///
/// The program decodes untrusted files, so it gets little time and memory, and only characters and
/// colours of its output are used.
nonisolated struct ChafaRenderer: Sendable {
  private let program: String
  private let colors: String

  private static let limit = Duration.seconds(10)
  /// Limit in bytes of its output: a cell takes some fifty of them, with both of its colours.
  private static let outputLimit = 8 << 20
  /// Limits of processor time in seconds, and of memory in kilobytes.
  private static let limits = "ulimit -t 8; ulimit -v 2000000; exec \"$@\""

  /// - Returns: `nil` where it is not installed.
  init?(depth: ColorDepth, environment: [String: String]) {
    guard let found = OtherProgram("chafa", [], environment: environment) else { return nil }
    program = found.path
    colors =
      switch depth {
      case .mono: "none"
      case .eight: "8"
      case .sixteen: "16"
      // Without the first sixteen, which users can redefine.
      case .indexed, .truecolor: "240"
      }
  }

  /// - Parameter size: filled completely: it has the picture's shape as nearly as cells can, where
  ///   `chafa` would round down.
  /// - Returns: `nil` on failure.
  func cells(of picture: PictureFile, _ size: Size, _ symbols: PictureMeans.Symbols) async
    -> PictureCells?
  {
    let output = await printed(
      of: picture, size,
      ["--format", "symbols", "--optimize", "3", "--colors", colors, "--stretch"]
        + look(of: symbols))
    return output.flatMap { PictureCells(printed: $0, limit: size) }
  }

  /// With few colours, dither with block characters. Letters would become illegible.
  private func look(of symbols: PictureMeans.Symbols) -> [String] {
    if symbols == .letters { return ["--symbols", "ascii"] }
    return ["none", "8"].contains(colors) ? ["--dither", "diffusion"] : []
  }

  /// The output for a picture; `nil` on failure, or if it exceeds the limit.
  /// - Parameter size: in the cells of its `--size` option.
  func printed(of picture: PictureFile, _ size: Size, _ options: [String]) async -> [UInt8]? {
    let run = ProgramRun(
      path: "/bin/sh",
      arguments: ["-c", Self.limits, "sh", program] + options + [
        "--animate", "off", "--threads", "1", "--size", "\(size.columns)x\(size.rows)", "--",
        picture.path,
      ],
      outputLimit: Self.outputLimit)
    guard let result = try? await run.result(within: Self.limit), result.status == 0, !result.isCut
    else { return nil }
    return result.output
  }
}
