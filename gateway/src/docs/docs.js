// The theme that the app keeps, then the search: both work on what the page already says.
try {
  document.documentElement.dataset.theme = localStorage.getItem('operon-theme') === 'light' ? 'light' : 'dark'
} catch {}

const box = document.querySelector('#find')
const input = box.querySelector('input')
const status = box.querySelector('p')
const entries = [...document.querySelectorAll('[data-find]')]
const sections = [...document.querySelectorAll('main > section')]
box.hidden = false

function find() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const entry of entries) {
    entry.hidden = !words.every((word) => entry.dataset.find.includes(word))
    if (!entry.hidden) found++
  }
  for (const section of sections) section.hidden = words.length > 0 && !section.querySelector('[data-find]:not([hidden])')
  document.querySelector('#none').hidden = found > 0
  status.textContent = words.length ? (found === 1 ? '1 match' : `${found} matches`) : ''
}

input.addEventListener('input', find)
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  }
  if (event.key === 'Escape' && document.activeElement === input) {
    input.value = ''
    find()
  }
})
// A shape that is linked to is open when one arrives.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target instanceof HTMLDetailsElement) target.open = true
}
addEventListener('hashchange', openTarget)
openTarget()
