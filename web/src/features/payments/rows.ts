import type { KeyboardEvent } from 'react'

/** Arrow keys go from row to row; each row has one button, which is its name. */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const next = buttons[buttons.indexOf(document.activeElement as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
