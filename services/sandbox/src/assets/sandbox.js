// Fills a test card into the form, and keeps the inbox's list fresh while it is looked at.
for (const button of document.querySelectorAll('[data-card]')) {
  button.addEventListener('click', () => {
    document.querySelector('input[name=number]').value = button.dataset.card
  })
}

const list = document.querySelector('[data-refresh]')
async function refresh() {
  if (document.hidden) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-refresh]')
  if (fresh && fresh.innerHTML !== list.innerHTML) list.replaceChildren(...fresh.childNodes)
}
if (list) setInterval(refresh, 3000)
