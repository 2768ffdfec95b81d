import './early.ts'
import './ui/app.css'
import { countView } from './api/countView.ts'
import { arrivalHash, keepArrival, mayHaveSession } from './api/keys.ts'

// The only script a public page runs at first. The app itself comes with the first sign of a person, or at once where the page cannot do without it.
keepArrival()

// Two frames: the first is the one that is being painted.
requestAnimationFrame(() => requestAnimationFrame(() => document.documentElement.classList.add('painted')))

// A product that the server drew is seen even where the app never starts. The day and the site that led here are kept, nothing about the visitor.
const seen = /"kind":"product","product":\{"id":"([0-9a-f-]{36})"/.exec(document.getElementById('given-page')?.textContent ?? '')?.[1]
if (seen) {
  const tell = () => countView(seen, document.referrer)
  // A visitor who leaves before the pictures are there has seen the page all the same.
  afterPictures(tell)
  addEventListener('pagehide', tell)
}
// A page that the server drew is shown in a face of the device until its pictures are there. Once the text face is in the browser, it is worn at once.
afterPictures(() => {
  document.fonts
    .load('1rem "Instrument Sans"')
    .then(() => {
      document.documentElement.dataset.font = ''
      localStorage['operon-font'] = '1'
    })
    // Without the face, or a place to note that it is here, the page reads all the same.
    .catch(() => {})
})

function afterPictures(act: () => void) {
  const shown = () => requestAnimationFrame(() => requestAnimationFrame(act))
  if (document.readyState === 'complete') shown()
  else addEventListener('load', shown)
}

const root = document.getElementById('root')!
const { pathname, search } = location
// The checkout's result stands where the landing view is prerendered.
if (pathname === '/thank-you' && (search.includes('session_id=') || search.includes('top_up='))) root.replaceChildren()
const prerendered = root.firstElementChild !== null
const liveAtOnce =
  /^\/(auth|pricing|forgot-password|reset-password|lost-second-factor)\b/.test(pathname) ||
  // A server-rendered page with rows reads as it is; a loading frame or a "not found" needs the app.
  (/^\/marketplace\b/.test(pathname) &&
    !/"kind":"(directory|storefront|product)"/.test(document.getElementById('given-page')?.textContent ?? '')) ||
  arrivalHash.size > 0 ||
  mayHaveSession()
const askAgainMs = 4000
/** The line of the page itself that it has not loaded: seen after a while where this script did not come either. */
const late = document.querySelector('.late')
const { early } = window
early.start = start
let started = false

function start() {
  if (started) return
  started = true
  void Promise.all([import('./main.tsx'), wholeStyles()])
    .then(([app]) => app.mount(root, prerendered))
    .then(giveBack)
    .catch(startLater)
}

/** The app did not come: again when the network and the server are back, then once from the start, since a deploy may have replaced it. */
async function startLater() {
  started = false
  const online = navigator.onLine
  if (late) {
    late.classList.add('said')
    late.firstChild!.textContent = online
      ? 'This page has not loaded completely. '
      : 'You are offline. This page continues when your connection is back. '
    late.querySelector('a')!.hidden = !online
  }
  if (!online) return addEventListener('online', start, { once: true })
  const isThere = await fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!isThere) return setTimeout(start, askAgainMs)
  if (Date.now() - Number(sessionStorage['operon-reloaded'] ?? 0) < 300_000) return
  sessionStorage['operon-reloaded'] = Date.now()
  location.reload()
}

/** A prerendered page carries only the styles of what it shows at first. */
function wholeStyles() {
  const href = document.querySelector<HTMLMetaElement>('meta[name=styles]')?.content
  if (!href) return
  const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  return new Promise((done) => {
    sheet.onload = sheet.onerror = done
    document.head.append(sheet)
  })
}

/** The app is there: it hears everything itself from now on. */
function giveBack() {
  late?.remove()
  early.end()
  const { control } = early
  if (control instanceof HTMLFormElement) control.requestSubmit()
  else control?.click()
}

if (!prerendered || early.asked) start()
// The prerendered page is painted first. A hidden tab paints nothing.
else if (liveAtOnce && document.hidden) start()
else if (liveAtOnce) requestAnimationFrame(() => requestAnimationFrame(start))
