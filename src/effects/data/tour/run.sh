# Runs every check; fails when one does.
cd "$(dirname "$0")/.." || exit 2
. src/almanac.sh

passed=0
failed=0
check() {
    if [ "$2" = "$3" ]; then
        echo "ok      $1"
        passed=$((passed + 1))
    else
        echo "FAILED  $1: expected $2, got $3"
        failed=$((failed + 1))
    fi
}

check "2023 is an ordinary year" no "$(is_leap 2023)"
check "2024 is a leap year" yes "$(is_leap 2024)"
check "1900 is an ordinary year" no "$(is_leap 1900)"
check "2000 is a leap year" yes "$(is_leap 2000)"
check "April has 30 days" 30 "$(days_in_month 2024 4)"
check "February 1900 has 28 days" 28 "$(days_in_month 1900 2)"
check "February 2000 has 29 days" 29 "$(days_in_month 2000 2)"

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
