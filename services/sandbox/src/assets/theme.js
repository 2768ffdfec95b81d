// The theme that the person chose in the app, before anything is drawn.
try {
  document.documentElement.dataset.theme = localStorage.getItem('operon-theme') ?? 'dark'
} catch {
  // Without storage it stays dark.
}
