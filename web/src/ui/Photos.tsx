import { cx } from './cx.ts'

/** Small pictures that open in full size. */
export function Photos({ of, by, className }: { of: string[]; by: string; className?: string }) {
  if (!of.length) return null
  return (
    <ul aria-label={`Photos by ${by}`} className={cx('flex flex-wrap gap-2', className)}>
      {of.map((photo, at) => (
        <li key={photo}>
          <a href={photo} target="_blank" rel="noreferrer" className="block rounded-control">
            <img
              src={`${photo}?w=480`}
              alt={`Taken by ${by}, ${at + 1} of ${of.length}`}
              loading="lazy"
              className="size-24 rounded-control bg-raised object-cover"
            />
          </a>
        </li>
      ))}
    </ul>
  )
}
