import { type Feature, featureGroups, features } from '../../content/features.ts'
import { cx } from '../../ui/cx.ts'
import { SectionHead } from '../../ui/SectionHead.tsx'

const groups = Object.entries(featureGroups) as [Feature['group'], string][]

/** Sixteen features in four rows, each row an operon: what works is a full bar on its line, what is coming an outlined one. */
export function FeatureGrid() {
  return (
    <section id="features" className="after-paint border-t border-line">
      <div className="rail">
        <SectionHead title="Sixteen tools that work together.">
          Tools with a full bar are open today. Tools with an outlined bar are coming.
        </SectionHead>
        {groups.map(([group, title]) => (
          <div key={group} className="grid border-t border-line lg:grid-cols-[13rem_minmax(0,1fr)]">
            <h3 className="px-5 py-5 text-14 font-semibold text-faint md:px-8 lg:py-6">{title}</h3>
            <ul className="grid border-line max-lg:border-t sm:grid-cols-2 xl:grid-cols-4">
              {features
                .filter((feature) => feature.group === group)
                .sort((one, other) => Number(one.coming ?? false) - Number(other.coming ?? false))
                .map((feature) => (
                  <Cell key={feature.title} {...feature} />
                ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}

function Cell({ title, text, icon, coming }: Feature) {
  return (
    <li className="group relative border-line px-5 pt-6 pb-7 max-sm:flex max-sm:gap-4 max-sm:pb-5 max-xl:not-first:border-t sm:max-xl:nth-2:border-t-0 md:max-lg:px-8 lg:border-l">
      <span
        aria-hidden="true"
        className={cx(
          'absolute top-0 left-5 h-1.5 w-14 -translate-y-1/2 rounded-full transition-[width] duration-200 ease-out group-hover:w-24 md:max-lg:left-8',
          coming ? 'border border-dashed border-control bg-page' : 'bg-signal-text',
        )}
      />
      <span aria-hidden="true" className="block feature-icon shrink-0 text-muted" style={{ maskPosition: `0 ${icon * -1.25}rem` }} />
      <div className="sm:mt-4">
        <h4 className="text-16 leading-5 font-semibold tracking-[-0.01em]">{title}</h4>
        <p className="mt-1.5 text-14 text-muted">{text}</p>
        {coming ? <p className="mt-1.5 text-13 text-faint">Coming</p> : null}
      </div>
    </li>
  )
}
