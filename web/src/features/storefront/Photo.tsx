import { preload } from 'react-dom'
import { cx } from '../../ui/cx.ts'

/**
 * A picture in the width of its place: AVIF has half the bytes of WebP, which older browsers get. The first one of a page is asked for before
 * everything else.
 */
export function Photo(props: {
  of: string
  widths: number[]
  sizes: string
  alt: string
  first: boolean
  className?: string
  shape?: string
}) {
  const { of, widths, sizes, alt, first, className, shape = 'aspect-[8/5] rounded-control' } = props
  const set = (format = '') => widths.map((width) => `${of}?w=${width}${format} ${width}w`).join(', ')
  const avif = set('&f=avif')
  if (first) preload(of, { as: 'image', type: 'image/avif', imageSrcSet: avif, imageSizes: sizes, fetchPriority: 'high' })
  return (
    <picture className={cx('block', className)}>
      <source type="image/avif" srcSet={avif} sizes={sizes} />
      <img
        src={`${of}?w=${widths.at(-1)}`}
        srcSet={set()}
        sizes={sizes}
        alt={alt}
        loading={first ? 'eager' : 'lazy'}
        fetchPriority={first ? 'high' : 'auto'}
        decoding={first ? 'sync' : 'async'}
        className={cx('w-full bg-raised object-cover', shape)}
      />
    </picture>
  )
}
