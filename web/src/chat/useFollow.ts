import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const AT_END_PX = 8

/** Keeps the foot of a growing log in sight, until the person scrolls up; what they say themselves brings them back. */
export function useFollow(said: string | undefined, hasWords: boolean) {
  const box = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const [away, setAway] = useState(false)

  const toEnd = useCallback(() => {
    following.current = true
    setAway(false)
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [])

  useEffect(() => {
    const { current: element } = box
    let top = element!.scrollTop
    function onScroll() {
      const { scrollTop, scrollHeight, clientHeight } = element!
      const left = scrollHeight - scrollTop - clientHeight
      if (left <= AT_END_PX) following.current = true
      else if (scrollTop < top) following.current = false
      top = scrollTop
      setAway(!following.current && left > clientHeight / 3)
    }
    element!.addEventListener('scroll', onScroll, { passive: true })
    return () => element!.removeEventListener('scroll', onScroll)
  }, [])

  // Its words, the proposals under them and the keyboard of a phone all change what is in sight.
  useEffect(() => {
    if (!hasWords) return
    const watch = new ResizeObserver(() => following.current && box.current?.scrollTo({ top: box.current.scrollHeight }))
    watch.observe(box.current!)
    watch.observe(content.current!)
    return () => watch.disconnect()
  }, [hasWords])

  useLayoutEffect(() => {
    if (said) toEnd()
  }, [said, toEnd])

  return { box, content, away, toEnd }
}
