// Hears a person until the app is there. boot.ts begins with it; a page that works as it was sent carries it inline (build.ts) and only
// names the first script, so that its pictures come before. No imports and no exports: it is a script there.
if (!window.early) {
  const act = (event: Event) => {
    // A pointer that lay there when the page opened is no sign.
    if (event.type === 'pointermove' && !(event as PointerEvent).movementX && !(event as PointerEvent).movementY) return
    early.asked = true
    early.start()
  }
  /** A press that only the app can answer is kept, and given again by boot.ts. */
  const keep = (event: Event) => {
    const target = event.target as HTMLElement
    const control = event.type === 'submit' ? target : target.closest<HTMLElement>('button')
    // A form with an address of its own works without the app.
    if (!control || control.closest('form[action]')) return
    event.preventDefault()
    early.control = control
    act(event)
  }
  const signs = ['pointermove', 'pointerdown', 'touchstart', 'keydown', 'focusin', 'wheel']
  const presses = ['click', 'submit']
  const askForScript = () => {
    const script = document.querySelector<HTMLMetaElement>('meta[name=script]')
    if (script) import(/* @vite-ignore */ script.content).catch(() => {})
  }
  const early: Window['early'] = {
    start: askForScript,
    end() {
      for (const sign of signs) removeEventListener(sign, act)
      for (const press of presses) removeEventListener(press, keep, true)
    },
  }
  window.early = early
  for (const sign of signs) addEventListener(sign, act, { passive: true })
  for (const press of presses) addEventListener(press, keep, true)
  if (document.documentElement.dataset.session === '' || location.hash) addEventListener('DOMContentLoaded', askForScript)
  else addEventListener('load', () => setTimeout(askForScript, 500))
  setTimeout(askForScript, 4000)
}
