import NatterCore

// The preview of the selected file, if it is stored on this machine.
extension FilesViewModel {
  /// The preview of the selected file; `nil` if the file is not here, if there is nothing to show,
  /// or until it is loaded.
  package var preview: FilePreview? {
    guard let path = selectedPath else { return nil }
    if looked.path != path { look(at: path) }
    return switch looked.preview {
    case .picture, .text: looked.preview
    case .nothing, .unreadable, nil: nil
    }
  }

  private var selectedPath: String? {
    if let file = selectedFile { return file.localPath }
    guard let transfer = selectedTransfer, transfer.direction == .upload else { return nil }
    return transfer.path
  }

  private func look(at path: String) {
    looked = (path, nil)
    guard let looking = shell.ports.files?.looking else { return }
    shell.lifetime.aside { [weak self] in
      let preview = await looking.preview(of: path)
      guard let self, looked.path == path else { return }
      looked.preview = preview
      invalidation.raise()
    }
  }
}
