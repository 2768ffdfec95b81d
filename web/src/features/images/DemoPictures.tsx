import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Pill } from '../../ui/Panel.tsx'

/** Four placeholders. Each is marked, and none can be saved, shared or downloaded. */
export function DemoPictures({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <ul className="grid grid-cols-2 gap-2" aria-label="Demo images">
        {demos.map(({ name, art }) => (
          <li key={name} className="relative aspect-square overflow-hidden rounded-control hairline">
            <svg viewBox="0 0 100 100" role="img" aria-label={`Demo image: ${name}`} className="size-full">
              {art}
              <g transform="rotate(-24 50 50)" opacity=".5">
                <rect x="-20" y="43" width="140" height="14" fill="#0c0e12" />
                <text x="50" y="53.5" fill="#fff" fontSize="9" fontWeight="600" textAnchor="middle" letterSpacing="3">
                  DEMO IMAGE
                </text>
              </g>
            </svg>
            <Pill tone="warn" className="absolute top-2 left-2">
              Demo
            </Pill>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-3 text-13 text-muted">
        <p>These stand in for your images. They used no image of your plan and are not kept.</p>
        <Button onClick={onRetry}>Try again</Button>
      </div>
    </div>
  )
}

const demos: { name: string; art: ReactNode }[] = [
  {
    name: 'hills at sunrise',
    art: (
      <>
        <rect width="100" height="100" fill="#f3c98b" />
        <circle cx="66" cy="38" r="13" fill="#fff1c9" />
        <path d="M0 70Q30 44 58 66T100 58v42H0z" fill="#7a8f6a" />
        <path d="M0 84q34-18 60-4t40-6v26H0z" fill="#4f6a52" />
      </>
    ),
  },
  {
    name: 'a cup on a table',
    art: (
      <>
        <rect width="100" height="100" fill="#d9d4c8" />
        <rect y="66" width="100" height="34" fill="#a07a56" />
        <path d="M32 42h30v18q0 12-12 12h-6q-12 0-12-12z" fill="#f7f4ee" />
        <path d="M62 47q12-1 10 8t-12 8" fill="none" stroke="#f7f4ee" strokeWidth="4" />
      </>
    ),
  },
  {
    name: 'buildings at night',
    art: (
      <>
        <rect width="100" height="100" fill="#1c2440" />
        <path d="M4 100V52h18v48zM26 100V34h20v66zM50 100V60h16v40zM70 100V42h22v58z" fill="#35406b" />
        <path d="M31 42h4v5h-4zM38 50h4v5h-4zM76 50h4v5h-4zM84 60h4v5h-4zM10 62h4v5h-4zM56 70h4v5h-4z" fill="#ffd98a" />
      </>
    ),
  },
  {
    name: 'a portrait',
    art: (
      <>
        <rect width="100" height="100" fill="#c5d6db" />
        <path d="M20 100q2-30 30-30t30 30z" fill="#2d4a73" />
        <circle cx="50" cy="44" r="20" fill="#e8b48f" />
        <path d="M29 44q-2-26 21-26t21 26q-5-14-16-17-14 6-22 5-4 4-4 12z" fill="#3b2a20" />
      </>
    ),
  },
]
