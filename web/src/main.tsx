import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { preload } from './router.tsx'

export async function mount(root: HTMLElement, prerendered: boolean) {
  const app = (
    <BrowserRouter>
      <App />
    </BrowserRouter>
  )
  // The page's own code first: hydrating against a chunk that has not come would wait with the page dead.
  await preload(location.pathname)
  if (prerendered) hydrateRoot(root, app)
  else createRoot(root).render(app)
  await new Promise((done) => setTimeout(done))
}
