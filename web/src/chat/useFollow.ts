import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const AT_END_PX = 8
const ABOVE_PX = 12

/**
 * An answer is read from its top: the log moves up with it until the question stands at the upper edge, and no further. A reader who asks for the
 * latest, or scrolls to the end, is kept there.
 */
export function useFollow(newest: string | undefined, hasWords: boolean) {
  const box = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef<'question' | 'end' | null>('question')
  const [away, setAway] = useState(false)

  const place = useCallback(() => {
    const { current: element } = box
    if (!element || !following.current) return
    const end = element.scrollHeight - element.clientHeight
    element.scrollTo({ top: following.current === 'end' ? end : Math.min(end, topOf(element, content.current)) })
  }, [])
  const toEnd = useCallback(() => {
    following.current = 'end'
    place()
  }, [place])

  useEffect(() => {
    const { current: element } = box
    let top = element!.scrollTop
    function onScroll() {
      const { scrollTop, scrollHeight, clientHeight } = element!
      const left = scrollHeight - scrollTop - clientHeight
      if (following.current === 'question') top = scrollTop
      else if (left <= AT_END_PX) following.current = 'end'
      else if (scrollTop < top) following.current = null
      top = scrollTop
      setAway(left > clientHeight / 3)
    }
    const letGo = () => {
      if (following.current === 'question') following.current = null
    }
    element!.addEventListener('scroll', onScroll, { passive: true })
    for (const kind of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const) element!.addEventListener(kind, letGo, { passive: true })
    return () => {
      element!.removeEventListener('scroll', onScroll)
      for (const kind of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const) element!.removeEventListener(kind, letGo)
    }
  }, [])

  // Its words, the proposals under them and the keyboard of a phone all change what is in sight.
  useEffect(() => {
    if (!hasWords) return
    const watch = new ResizeObserver(() => {
      // The page may have been left since the last frame.
      const { current: element } = box
      if (!element) return
      place()
      const { scrollHeight, scrollTop, clientHeight } = element
      setAway(scrollHeight - scrollTop - clientHeight > clientHeight / 3)
    })
    watch.observe(box.current!)
    watch.observe(content.current!)
    return () => watch.disconnect()
  }, [hasWords, place])

  useLayoutEffect(() => {
    if (!newest) return
    following.current = 'question'
    place()
  }, [newest, place])

  return { box, content, away, toEnd }
}

/** Where the last question begins. */
function topOf(box: HTMLElement, content: HTMLElement | null) {
  const last = [...(content?.querySelectorAll<HTMLElement>('[data-said]') ?? [])].at(-1)
  if (!last) return Number.POSITIVE_INFINITY
  return last.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop - ABOVE_PX
}
