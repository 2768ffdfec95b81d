import { useEffect, useState } from 'react'

type Tip = { text: string; keys?: string; x: number; y: number; side: string }

/** One host for every `data-tip`: shown on hover after a moment and at once on keyboard focus. */
export function TooltipHost() {
  const [tip, setTip] = useState<Tip>()
  useEffect(() => {
    let timer = 0
    function show(event: Event) {
      const target = (event.target as Element).closest?.<HTMLElement>('[data-tip]')
      clearTimeout(timer)
      if (!target) return setTip(undefined)
      if (event.type === 'focusin' && !target.matches(':focus-visible')) return
      timer = window.setTimeout(() => setTip(place(target)), event.type === 'focusin' ? 0 : 400)
    }
    function hide() {
      clearTimeout(timer)
      setTip(undefined)
    }
    const on = { pointerover: show, focusin: show, focusout: hide, pointerdown: hide, keydown: hide, scroll: hide }
    for (const [name, handler] of Object.entries(on)) document.addEventListener(name, handler, true)
    return () => {
      clearTimeout(timer)
      for (const [name, handler] of Object.entries(on)) document.removeEventListener(name, handler, true)
    }
  }, [])
  if (!tip) return null
  return (
    <div
      role="tooltip"
      className="pointer-events-none fixed z-[60] flex items-center gap-2 rounded-control bg-raised px-2 py-1 text-12 text-text hairline shadow-float"
      style={{ left: tip.x, top: tip.y, transform: tip.side === 'right' ? 'translateY(-50%)' : 'translateX(-50%)' }}
    >
      {tip.text}
      {tip.keys ? <kbd className="font-mono text-faint">{tip.keys}</kbd> : null}
    </div>
  )
}

function place(target: HTMLElement): Tip | undefined {
  if (!target.isConnected || !target.dataset.tip) return undefined
  const box = target.getBoundingClientRect()
  const side = target.dataset.tipSide ?? 'bottom'
  const half = target.dataset.tip.length * 4 + 12
  const x = side === 'right' ? box.right + 8 : Math.min(Math.max(box.left + box.width / 2, half), innerWidth - half)
  return {
    text: target.dataset.tip,
    keys: target.dataset.tipKeys,
    x,
    y: side === 'right' ? box.top + box.height / 2 : box.bottom + 6,
    side,
  }
}
