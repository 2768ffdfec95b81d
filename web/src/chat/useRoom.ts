import { type RefObject, useLayoutEffect } from 'react'

/** The room that the page keeps free below its content. */
const marginPx = (page: boolean) => (page ? 0 : window.innerWidth >= 768 ? 32 : 24)
const LEAST_PX = 416
const KEYBOARD_PX = 120

/** As high as the window leaves room for below it; above the keyboard of a phone while that is open. */
export function useRoom(frame: RefObject<HTMLElement | null>, page = false) {
  useLayoutEffect(() => {
    const view = window.visualViewport
    let typing = false
    function resize() {
      const element = frame.current
      if (!element) return
      const was = typing
      typing = Boolean(view && window.innerHeight - view.height > KEYBOARD_PX && element.contains(document.activeElement))
      const top = element.getBoundingClientRect().top + window.scrollY
      element.style.height = typing ? `${view!.height - 8}px` : `max(${LEAST_PX}px, calc(100dvh - ${top + marginPx(page)}px))`
      if (typing && !was) element.scrollIntoView({ block: 'end' })
    }
    resize()
    const watch = new ResizeObserver(resize)
    watch.observe(document.body)
    window.addEventListener('resize', resize)
    view?.addEventListener('resize', resize)
    return () => {
      watch.disconnect()
      window.removeEventListener('resize', resize)
      view?.removeEventListener('resize', resize)
    }
  }, [frame, page])
}

/** A panel that covers a phone's screen ends where its keyboard begins. */
export function useAboveKeyboard(panel: RefObject<HTMLElement | null>) {
  useLayoutEffect(() => {
    const view = window.visualViewport
    if (!view) return
    function place() {
      const element = panel.current
      if (!element) return
      const typing = window.innerWidth < 640 && window.innerHeight - view!.height > KEYBOARD_PX
      element.style.height = typing ? `${view!.height}px` : ''
      element.style.bottom = typing ? `${window.innerHeight - view!.height - view!.offsetTop}px` : ''
    }
    place()
    view.addEventListener('resize', place)
    view.addEventListener('scroll', place)
    return () => {
      view.removeEventListener('resize', place)
      view.removeEventListener('scroll', place)
    }
  }, [panel])
}
