;(() => {
  const root = document.documentElement
  try {
    root.dataset.theme = localStorage.getItem('operon-theme') === 'light' ? 'light' : 'dark'
    if (localStorage.getItem('operon-auth')) root.dataset.session = ''
    if (/(?:^|; )sidebar_state=false/.test(document.cookie)) root.dataset.sidebar = 'collapsed'
  } catch {
    root.dataset.theme = 'dark'
  }
})()
