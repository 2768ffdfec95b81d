/** Draws at most once a frame: a fast stream must not be drawn letter by letter. */
export function drawing(draw: (text: string) => void) {
  let frame = 0
  let newest = ''
  return {
    text(text: string) {
      newest = text
      frame ||= requestAnimationFrame(() => {
        frame = 0
        draw(newest)
      })
    },
    end: () => cancelAnimationFrame(frame),
  }
}
