import { badges, unverifiedNote } from '../../content/claims.ts'
import { product } from '../../content/product.ts'
import { measures } from '../../content/security.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'

export function SecurityPage() {
  const shown = badges.filter((badge) => badge.shown)
  return (
    <PublicLayout>
      <div className="rail w-full">
        <SectionHead as="h1" title="How your data is kept safe">
          No adjectives: each line is something the code does, and a test that fails when it stops.
        </SectionHead>
        <ul className="grid border-t border-line md:grid-cols-2">
          {measures.map(({ title, text, icon: Icon }) => (
            <li
              key={title}
              className="flex gap-4 border-line px-5 py-7 not-first:border-t md:px-8 md:py-9 md:nth-2:border-t-0 md:even:border-l"
            >
              <Icon className="mt-0.5 size-5 text-faint" />
              <div>
                <h2 className="font-semibold">{title}</h2>
                <p className="mt-1.5 max-w-[54ch] text-14 text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ul>
        <div className="flex flex-col gap-3 border-t border-line px-5 py-7 text-14 text-muted md:px-8">
          <p>
            Found a weakness? Write to{' '}
            <a href={`mailto:${product.security}`} className="text-text underline decoration-control underline-offset-4">
              {product.security}
            </a>
            .
          </p>
          {shown.length ? (
            <p className="text-faint">
              Badges stated by the operator: {shown.map((badge) => badge.value).join(', ')}.{' '}
              {shown.some((badge) => !badge.verified) ? unverifiedNote : ''}
            </p>
          ) : null}
        </div>
      </div>
    </PublicLayout>
  )
}
