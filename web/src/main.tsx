import { type ReactNode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './App.tsx'
import { GivenPageContext, readGivenPage } from './api/givenPage.tsx'
import { preload } from './router.tsx'

export async function mount(root: HTMLElement, prerendered: boolean) {
  // The page's own code first: hydrating against a chunk that has not come would wait with the page dead. One that does not come at all is
  // said by the error boundary.
  await preload(location.pathname).catch(() => {})
  const given = readGivenPage()
  return new Promise<void>((done) => {
    const app = (
      <BrowserRouter>
        <Mounted onMounted={done}>
          <GivenPageContext value={given}>
            <App />
          </GivenPageContext>
        </Mounted>
      </BrowserRouter>
    )
    // In slices: a page that can be seen already answers while it comes alive.
    if (prerendered) startTransition(() => void hydrateRoot(root, app))
    else createRoot(root).render(app)
  })
}

function Mounted({ onMounted, children }: { onMounted: () => void; children: ReactNode }) {
  useEffect(() => onMounted(), [onMounted])
  return children
}
