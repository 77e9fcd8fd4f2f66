"""The program of the asset `report`. What it reports goes to Dagster through the log of its Pod."""

from pathlib import Path

from dagster_pipes import open_dagster_pipes

with open_dagster_pipes() as pipes:
    total = int(Path("total.txt").read_text())
    pipes.log.info(f"the words have {total} letters")
    pipes.report_asset_materialization(metadata={"letters": total})
